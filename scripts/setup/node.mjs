import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { inRoot } from '../root.mjs';

/** The Node of the images (deploy/Dockerfile), which the lockfile brings for Linux; elsewhere the one that runs us. Installing packages
 * may bring another: ask when a program is started. @returns {string} its program */
export function nodeProgram() {
  const program = inRoot('node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  return existsSync(program) ? program : process.execPath;
}

/** The version of `nodeProgram()`, such as `v24.21.0`. */
export const nodeVersion = () => execFileSync(nodeProgram(), ['--version'], { encoding: 'utf8' }).trim();

/** The Node of the user who runs npm: developers of apps may have an older one than ours. */
export const USERS_NODE = process.env.npm_node_execpath ?? process.execPath;
