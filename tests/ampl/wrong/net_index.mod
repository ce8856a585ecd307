node N {1..2};
arc a {i in 1..3} from N[i];
