import 'reflect-metadata';
import { text } from 'node:stream/consumers';
import { PlatformError } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { bodyOf } from '@crm/http';
import { PasswordService } from './accounts/password/password.service.js';
import { normaliseEmail } from './accounts/user/email-address.js';
import { loadConfig } from './config.js';
import { entities } from './entities.js';
import { OperatorInput } from './operators/operator.dto.js';
import { OperatorRepository } from './operators/operator.repository.js';

const USAGE = `Adds an operator of the platform; the password is read from standard input:
  node dist/add-operator.js <e-mail address> <name> < password.txt
`;

/**
 * Adds an operator. There is no route for it: whoever can start programs of the service appoints operators.
 * @param input the properties of {@link OperatorInput}; the password without the line end of the file it came from
 * @throws PlatformError VALIDATION_FAILED; CONFLICT when the address belongs to an operator
 */
export async function addOperator(database: Database, input: object): Promise<void> {
  const { email, name, password } = await bodyOf(OperatorInput, input);
  const operators = new OperatorRepository();
  const passwordHash = await new PasswordService().hash(password);
  await database.crossTenant(async (tx) => {
    const operator = { id: newId(), email: normaliseEmail(email), name: name.trim(), passwordHash };
    await operators.insertMissing(tx, operator);
    const stored = await operators.findByEmail(tx, operator.email);
    if (stored?.id !== operator.id) throw new PlatformError('CONFLICT', 'The address belongs to an operator already');
  });
}

/** What is wrong, one line for each problem. */
const explain = (error: PlatformError): string =>
  [error.message, ...(error.extra.errors ?? []).map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`)].join(
    '\n',
  );

/** @returns exit code: 0, 1 when the operator was not added, 2 for invalid arguments */
async function main([email, name, ...more]: readonly string[]): Promise<number> {
  if (!email || !name || more.length > 0) {
    process.stderr.write(USAGE);
    return 2;
  }
  const database = new Database(loadConfig().database, entities);
  try {
    await addOperator(database, { email, name, password: (await text(process.stdin)).replace(/\r?\n$/, '') });
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  } finally {
    await database.close();
  }
  process.stdout.write(`${email} can sign in at the operators' address\n`);
  return 0;
}

if (process.argv[1]?.endsWith('add-operator.js')) process.exitCode = await main(process.argv.slice(2));
