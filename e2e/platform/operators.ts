import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { admin, PASSWORD } from './accounts.js';
import { addresses } from './addresses.js';

const SCRIPT = path.join(import.meta.dirname, '..', '..', 'scripts', 'service-program.mjs');
const CREATE = [SCRIPT, 'operator', 'identity', 'create'];

const INITIAL_PASSWORD = 'another-one-for-the-first-sign-in';

/** Creates an operator with the command that people use, who replaces the password by PASSWORD. */
export async function createOperator(email: string, role: 'administrator' | 'reviewer'): Promise<void> {
  const args = [...CREATE, email, 'Operator', '--role', role, '--data', addresses.dataDir];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(`${INITIAL_PASSWORD}\n`);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The operator was not created: exit code ${code}`);
  const body = { email, password: INITIAL_PASSWORD, newPassword: PASSWORD };
  await admin('POST', '/api/auth/login', { body, expect: 200 });
}

/** An access token of an operator who signs in by password alone. */
export async function operatorToken(email: string): Promise<string> {
  const { body } = await admin('POST', '/api/auth/login', { body: { email, password: PASSWORD }, expect: 200 });
  return body.accessToken;
}
