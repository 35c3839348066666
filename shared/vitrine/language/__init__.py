"""The words of the house: folding, numbers, money, units, colours, periods."""
