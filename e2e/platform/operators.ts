import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { admin, PASSWORD } from './accounts.js';
import { addresses } from './addresses.js';

const SCRIPT = path.join(import.meta.dirname, '..', '..', 'scripts', 'service-program.mjs');
const CREATE = [SCRIPT, 'operator', 'identity', 'create'];

/** Creates an operator with the command that people use. */
export async function createOperator(email: string, role: 'administrator' | 'reviewer'): Promise<void> {
  const args = [...CREATE, email, 'Operator', '--role', role, '--data', addresses.dataDir];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(`${PASSWORD}\n`);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`The operator was not created: exit code ${code}`);
}

/** An access token of an operator who signs in by password alone. */
export async function operatorToken(email: string): Promise<string> {
  const { body } = await admin('POST', '/api/auth/login', { body: { email, password: PASSWORD }, expect: 200 });
  return body.accessToken;
}
