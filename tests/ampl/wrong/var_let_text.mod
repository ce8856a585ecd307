var x;
let x := 'many';
