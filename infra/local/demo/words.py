"""A bilingual stock of words from which demo data is made.

Each word stands once in French and once in English, so that both tenants speak of
the same things and a query in either language has something to find.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Word:
    """One thing in both languages; ``share`` weighs how often it is drawn."""

    fr: str
    en: str
    share: int = 1

    def said(self, language: str) -> str:
        """Say the word in a language."""
        return self.fr if language == "fr" else self.en

    @property
    def label(self) -> dict[str, str]:
        """Give the word as a label in both languages."""
        return {"fr": self.fr, "en": self.en}


def weighted(*drawn: Word) -> tuple[Word, ...]:
    """Give a stock in which each word stands as often as its share says."""
    return tuple(word for word in drawn for _ in range(word.share))


MOODS = weighted(
    Word("calme", "calm", 5),
    Word("serein", "serene", 3),
    Word("joyeux", "joyful", 3),
    Word("dynamique", "dynamic", 3),
    Word("chaleureux", "warm", 4),
    Word("épuré", "minimal", 4),
    Word("nostalgique", "nostalgic", 2),
    Word("festif", "festive", 2),
    Word("mystérieux", "mysterious", 1),
    Word("lumineux", "bright", 4),
)
SUBJECTS = weighted(
    Word("chaise", "chair", 6),
    Word("fauteuil", "armchair", 5),
    Word("canapé", "sofa", 5),
    Word("table basse", "coffee table", 4),
    Word("table", "table", 4),
    Word("lampe", "lamp", 5),
    Word("suspension", "pendant light", 3),
    Word("vase", "vase", 4),
    Word("service à thé", "tea set", 2),
    Word("assiette", "plate", 3),
    Word("couverts", "cutlery", 3),
    Word("carafe", "pitcher", 2),
    Word("tapis", "rug", 4),
    Word("plaid", "throw", 2),
    Word("étagère", "shelf", 4),
    Word("bureau", "desk", 4),
    Word("lit", "bed", 3),
    Word("miroir", "mirror", 3),
    Word("buffet", "sideboard", 2),
    Word("horloge", "clock", 2),
    Word("bougeoir", "candle holder", 2),
    Word("coussin", "cushion", 3),
)
SCENES = weighted(
    Word("coucher de soleil", "sunset", 3),
    Word("lever du jour", "sunrise", 2),
    Word("bord de mer", "seaside", 4),
    Word("forêt", "forest", 3),
    Word("montagne", "mountain", 3),
    Word("jardin", "garden", 4),
    Word("terrasse", "terrace", 3),
    Word("salon", "living room", 6),
    Word("cuisine", "kitchen", 5),
    Word("chambre", "bedroom", 4),
    Word("salle à manger", "dining room", 4),
    Word("atelier", "workshop", 3),
    Word("studio", "studio", 5),
    Word("rue pavée", "cobbled street", 1),
    Word("lac", "lake", 2),
    Word("champ de lavande", "lavender field", 1),
    Word("neige", "snow", 2),
    Word("pluie", "rain", 1),
    Word("bibliothèque", "library", 2),
    Word("marché", "market", 1),
)
SEASONS = weighted(
    Word("printemps", "spring"),
    Word("été", "summer"),
    Word("automne", "autumn"),
    Word("hiver", "winter"),
)
MATERIALS = weighted(
    Word("chêne", "oak", 5),
    Word("noyer", "walnut", 3),
    Word("lin", "linen", 4),
    Word("laine", "wool", 3),
    Word("velours", "velvet", 2),
    Word("cuir", "leather", 3),
    Word("porcelaine", "porcelain", 3),
    Word("verre soufflé", "blown glass", 2),
    Word("laiton", "brass", 2),
    Word("acier inoxydable", "stainless steel", 3),
    Word("argent", "silver", 1),
    Word("grès", "stoneware", 2),
    Word("rotin", "rattan", 1),
)
CHANNELS = weighted(
    Word("en-tête de newsletter", "newsletter header", 4),
    Word("newsletter", "newsletter", 3),
    Word("site web", "website", 5),
    Word("réseaux sociaux", "social media", 5),
    Word("catalogue papier", "printed catalogue", 3),
    Word("dossier de presse", "press kit", 2),
    Word("affiche", "poster", 1),
    Word("salon professionnel", "trade fair", 1),
)
AUDIENCES = weighted(
    Word("grand public", "general public", 4),
    Word("professionnels", "professionals", 3),
    Word("architectes", "architects", 2),
    Word("presse", "press", 2),
    Word("hôtellerie", "hospitality", 1),
)
STYLES = weighted(
    Word("scandinave", "Scandinavian", 5),
    Word("art déco", "art deco", 2),
    Word("industriel", "industrial", 2),
    Word("bohème", "bohemian", 2),
    Word("contemporain", "contemporary", 5),
    Word("rustique", "rustic", 2),
)
ROOMS = weighted(
    Word("salon", "living room", 5),
    Word("cuisine", "kitchen", 4),
    Word("chambre", "bedroom", 4),
    Word("salle à manger", "dining room", 4),
    Word("bureau", "office", 3),
    Word("extérieur", "outdoors", 2),
    Word("entrée", "hallway", 1),
)
LICENCES = weighted(
    Word("libre de droits", "royalty-free", 5),
    Word("droits gérés", "rights managed", 3),
    Word("usage interne", "internal use", 2),
    Word("usage éditorial", "editorial use", 2),
)
CATEGORIES = weighted(
    Word("mobilier", "furniture", 6),
    Word("luminaires", "lighting", 4),
    Word("arts de la table", "tableware", 4),
    Word("textile", "textiles", 3),
    Word("décoration", "decoration", 4),
)
DESIGNERS = (
    "Henning Koppel",
    "Louise Adelborg",
    "Alfredo Häberli",
    "Arne Jacobsen",
    "Charlotte Perriand",
    "Eileen Gray",
    "Aino Aalto",
    "Nanna Ditzel",
    "Verner Panton",
    "Inga Sempé",
    "Kaj Franck",
    "Tapio Wirkkala",
    "Stig Lindberg",
    "Andrée Putman",
    "India Mahdavi",
    "Jean Prouvé",
)
BRANDS = ("Maison Aurore", "Nordlys", "Atelier Brume", "Clairval", "Hav & Lund")
COLLECTIONS = ("Lumière", "Brume", "Écume", "Fjord", "Sillage")
PHOTOGRAPHERS = (
    "Élodie Marchand",
    "Jonas Lindqvist",
    "Inès Belkacem",
    "Tom Ashworth",
    "Chloé Perrin",
    "Mikkel Dahl",
)
CITIES = (
    ("Lyon", "France"),
    ("Paris", "France"),
    ("Annecy", "France"),
    ("Marseille", "France"),
    ("Copenhague", "Danemark"),
    ("Stockholm", "Suède"),
    ("Bruxelles", "Belgique"),
    ("Genève", "Suisse"),
)
FIRST_NAMES = (
    "Marie",
    "Louis",
    "Camille",
    "Nadia",
    "Paul",
    "Ingrid",
    "Sofia",
    "Erik",
    "Jeanne",
    "François",
    "Anna",
    "Lars",
    "Élise",
    "Karim",
    "Hélène",
    "Oscar",
)
LAST_NAMES = (
    "Dubois",
    "Lefèvre",
    "Moreau",
    "Lindgren",
    "Hansen",
    "Okafor",
    "Bernard",
    "Nguyen",
    "Rossi",
    "Berg",
    "Crépin",
    "Martin",
    "Olsen",
    "Garnier",
    "Weber",
    "Ström",
)
COMPANIES = weighted(
    Word("Manteaux Lumière", "Lumière Coats"),
    Word("Tissages du Nord", "Northern Weavers"),
    Word("Crêperie Bleue", "Blue Creperie"),
    Word("Hôtel des Alpes", "Alpine Hotel"),
    Word("Galerie Vasseur", "Vasseur Gallery"),
    Word("Ateliers Réunis", "United Workshops"),
    Word("Boutique Sésame", "Sesame Boutique"),
    Word("Transports Rivière", "River Freight"),
)
COLOURS = (
    "#f5f0e6",
    "#d8cbb3",
    "#8a6f4d",
    "#3b2f26",
    "#1f3a5f",
    "#4f7cac",
    "#a7c4d9",
    "#e8eef2",
    "#2f5d50",
    "#7fa27a",
    "#c9d8b6",
    "#b5473c",
    "#e07a5f",
    "#f2cc8f",
    "#d4a017",
    "#6d597a",
    "#e5989b",
    "#ffffff",
    "#101010",
    "#9a9a9a",
)
