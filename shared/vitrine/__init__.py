"""Vitrine: search for agents over a catalogue that stays closed."""
