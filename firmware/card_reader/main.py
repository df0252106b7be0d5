# MicroPython runs this file at power-up. Everything else is in reader.py.
import reader

reader.run()
