print("reeve")
