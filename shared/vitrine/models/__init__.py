"""Language models behind one protocol; a turn never knows which one answers."""
