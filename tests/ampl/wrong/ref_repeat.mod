var x;
repeat while x.val < 3 { let x := 3; };
