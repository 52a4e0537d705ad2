import 'reflect-metadata';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { PlatformError } from '@crm/contracts';
import { DAY_SECONDS, Database, newId } from '@crm/database';
import { bodyOf } from '@crm/http';
import { recordOperatorAct } from '@crm/operator-audit';
import { type InitialPassword, OperatorRepository } from './accounts/accounts.repository.js';
import { InitialPasswordInput, OperatorInput } from './accounts/operator.dto.js';
import { loadConfig } from './config.js';
import { entities } from './entities.js';
import { normaliseEmail } from './people/people.service.js';
import { PLATFORM_TENANT } from './platform-tenant.js';
import { runProgram } from './run-program.js';
import { RevocationRepository } from './sessions/revocation.service.js';
import { SessionRepository } from './sessions/session.repository.js';
import { AuthenticatorRepository, PasskeyRepository, RecoveryCodeRepository } from './sign-in/factor.repository.js';
import { PasswordPolicy, PasswordService } from './sign-in/password.service.js';

/** For which an operator can replace the password that someone else has chosen. */
const INITIAL_PASSWORD_DAYS = 3;

const USAGE = `The operators of the platform.

  node operator.js create <email address> <name> [--role administrator|reviewer] [--workspace <id>] < password.txt
      Creates an operator, by default a reviewer; the password is read from standard input and must
      not be one that attackers try first. It is good for one sign-in within ${INITIAL_PASSWORD_DAYS} days, at which the operator
      replaces it. An operator who is linked to a workspace never decides on its submissions.
  node operator.js reset <email address> [--password < password.txt]
      Removes the authenticator and the passkeys of an operator who has lost them and ends their sessions;
      with --password it also gives them another password, which is like that of a new operator.
`;

/** Anyone who can start programs appoints operators. @throws PlatformError VALIDATION_FAILED, WEAK_PASSWORD, CONFLICT */
export async function createOperator(database: Database, input: object): Promise<void> {
  const { email, name, password, role, workspace } = await bodyOf(OperatorInput, input);
  const operators = new OperatorRepository();
  const initial = await initialPassword(password, { email, name });
  await database.transaction(PLATFORM_TENANT, async (tx) => {
    const operator = {
      id: newId(),
      email: normaliseEmail(email),
      name: name.trim(),
      ...initial,
      role,
      linkedTenantId: workspace?.toLowerCase() ?? null,
    };
    await operators.insertMissing(tx, operator);
    const stored = await operators.findByEmail(tx, operator.email);
    if (stored?.id !== operator.id) throw new PlatformError('CONFLICT', 'The address belongs to an operator already');
    await recordOperatorAct(tx, {
      operator: null,
      act: 'operator.create',
      subject: { kind: 'operator', id: operator.id, name: operator.email },
      after: { name: operator.name, role, linkedTenantId: operator.linkedTenantId },
    });
  });
}

/** @throws PlatformError VALIDATION_FAILED, WEAK_PASSWORD */
async function initialPassword(text: string, owner: { email: string; name: string }): Promise<InitialPassword> {
  const { password } = await bodyOf(InitialPasswordInput, { password: text });
  await new PasswordPolicy().assertAcceptable(password, owner);
  const initialPasswordUntil = new Date(Date.now() + INITIAL_PASSWORD_DAYS * DAY_SECONDS * 1000);
  return { passwordHash: await new PasswordService().hash(password), initialPasswordUntil };
}

/**
 * The running replicas publish the cut-offs within a second.
 * @param password another initial one, where the operator has none any more
 * @throws PlatformError NOT_FOUND, VALIDATION_FAILED, WEAK_PASSWORD
 */
export async function resetOperator(database: Database, email: string, password?: string): Promise<void> {
  const operators = new OperatorRepository();
  const operator = await database.transaction(PLATFORM_TENANT, (tx) =>
    operators.findByEmail(tx, normaliseEmail(email)),
  );
  if (!operator) throw new PlatformError('NOT_FOUND', 'No operator uses this address');
  const initial = password === undefined ? undefined : await initialPassword(password, operator);
  await database.transaction(PLATFORM_TENANT, async (tx) => {
    await recordOperatorAct(tx, {
      operator: null,
      act: 'operator.reset-authenticator',
      subject: { kind: 'operator', id: operator.id, name: operator.email },
      findings: { password: initial !== undefined },
    });
    // First, as it locks the operator: an enrolment does so too before it touches the authenticator.
    await new SessionRepository().endPendingSignIns(tx, operator.id);
    if (initial) await operators.update(tx, operator.id, initial);
    await new AuthenticatorRepository().delete(tx, operator.id);
    await new RecoveryCodeRepository().deleteOfUser(tx, operator.id);
    await new PasskeyRepository().deleteOfUser(tx, operator.id);
    await new SessionRepository().deleteOfUser(tx, operator.id);
    await new RevocationRepository().record(tx, { kind: 'user', id: operator.id, cutoffMs: Date.now() });
  });
}

const readPassword = async (): Promise<string> => (await text(process.stdin)).replace(/\r?\n$/, '');

const explain = (error: PlatformError): string =>
  [error.message, ...(error.extra.errors ?? []).map(({ pointer, detail }) => `${pointer.slice(1)}: ${detail}`)].join(
    '\n',
  );

/** @returns what the program does, or undefined for arguments that say nothing it knows */
function parseCommand(args: string[]): ((database: Database) => Promise<string>) | undefined {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      role: { type: 'string', default: 'reviewer' },
      workspace: { type: 'string' },
      password: { type: 'boolean', default: false },
    },
  });
  const [command, email, name, ...more] = positionals;
  if (command === 'create' && email && name && more.length === 0) {
    return async (database) => {
      const password = await readPassword();
      const { role, workspace } = values;
      await createOperator(database, { email, name, password, role, ...(workspace !== undefined && { workspace }) });
      return `${email} can sign in at the operators' address within ${INITIAL_PASSWORD_DAYS} days, with a new password as well\n`;
    };
  }
  if (command === 'reset' && email && name === undefined) {
    return async (database) => {
      await resetOperator(database, email, values.password ? await readPassword() : undefined);
      return `${email} has no authenticator, no passkey and no session any more\n`;
    };
  }
  return undefined;
}

/** @returns exit code: 0, 1 when nothing was changed, 2 for invalid arguments */
async function main(args: string[]): Promise<number> {
  let command: ReturnType<typeof parseCommand>;
  try {
    command = parseCommand(args);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    process.stderr.write(`${error.message}\n`);
  }
  if (!command) {
    process.stderr.write(USAGE);
    return 2;
  }
  const database = new Database(loadConfig().database, entities);
  try {
    process.stdout.write(await command(database));
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error;
    process.stderr.write(`${explain(error)}\n`);
    return 1;
  } finally {
    await database.close();
  }
  return 0;
}

runProgram('operator.js', main);
