import { readFileSync } from 'node:fs';

/** A secret that was to come from a file and cannot; the message says why and holds no secret. */
export class UnusableSecretFile extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UnusableSecretFile';
  }
}

/** What most editors and `echo` put at the end of a file; it is no part of the secret. */
const LINE_END = /\r?\n$/;

/**
 * Reads a secret from a file.
 * @param variable which names the file; for messages
 * @returns the content without a line end at its end
 * @throws UnusableSecretFile when the file cannot be read or holds nothing
 */
export function readSecretFile(variable: string, path: string): string {
  let content: string;
  try {
    content = readFileSync(path, 'utf8');
  } catch (error) {
    throw new UnusableSecretFile(`${variable}: ${path} cannot be read (${codeOf(error)})`);
  }
  const secret = content.replace(LINE_END, '');
  if (secret === '') throw new UnusableSecretFile(`${variable}: ${path} is empty`);
  return secret;
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'this user has no permission to',
  EISDIR: 'it is a folder',
};

function codeOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  return REASONS[code] ?? code;
}
