// Prints what is wrong with objects by the schemas of their versions. Standard input: manifests as JSON; standard output: a list
// of problems for each. A program of its own, because Jest loads the hundreds of small modules of the schemas ten times slower
// than Node does, and not always in an order that works.
import { text } from 'node:stream/consumers';
import { schemaProblems } from './schemas.mjs';

const manifests = JSON.parse(await text(process.stdin));
process.stdout.write(JSON.stringify(await Promise.all(manifests.map(schemaProblems))));
