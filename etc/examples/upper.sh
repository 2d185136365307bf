#!/bin/sh
# Writes its first argument in capitals to its second, and lists the text files it was given.
given=$(ls *.txt)
tr 'a-z' 'A-Z' < "$1" > "$2"
echo "$given" > inputs.txt
