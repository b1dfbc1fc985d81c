print("calo")
