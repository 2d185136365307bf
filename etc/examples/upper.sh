#!/bin/sh
# Writes its first argument in capitals to its second, and lists the text files it was given.
tr 'a-z' 'A-Z' < "$1" > "$2"
ls *.txt | grep -v "$2" > inputs.txt
