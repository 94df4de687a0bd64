import { setFlagsFromString } from 'node:v8';

// Imported before PostgreSQL's grammar. Once that has been used for a while V8 would compile it anew to make it faster, which takes half a gigabyte for some
// seconds, in every thread, for one function of thousands of states; and it is fast enough as it is.
setFlagsFromString('--no-wasm-dynamic-tiering');
setFlagsFromString('--no-wasm-tier-up');
