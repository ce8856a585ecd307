var x;
shell 'ls';
