# Counts to a number, one by one, and checks where that ends. usage: count.sh NUMBER
i=0
while [ "$i" -lt "$1" ]; do i=$((i + 1)); done
[ "$i" -eq "$1" ]
