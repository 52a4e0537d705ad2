// npm run operator:create -- <e-mail address> <name> [--role administrator|reviewer] [--workspace <id>] < password.txt
// Creates an operator of the running platform; the password is read from standard input. `npm run operator:reset -- <e-mail
// address>` removes a lost authenticator. In production it is `node operator.js` in the container of identity.
import { runCommand } from './plain-error.mjs';
import { runProgram } from './platform/run-program.mjs';

await runCommand(() => {
  const args = process.argv.slice(2);
  // The rest is the program's: it knows its options and says how it is used.
  const at = args.indexOf('--data');
  const data = at < 0 ? undefined : args.splice(at, 2)[1];
  return runProgram('identity', 'operator.js', { data, args });
});
