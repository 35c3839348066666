"""How much of a closed catalogue can be carried away: attackers, people, figures."""
