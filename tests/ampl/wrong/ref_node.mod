set N := 1..3;
node Balance {N};
