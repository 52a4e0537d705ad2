// Checks who imports what: .dependency-cruiser.cjs says the rules. Exits 1 if one is broken.
import { runCommand } from './plain-error.mjs';
import { runInForeground } from './processes/foreground.mjs';
import { inRoot, ROOT } from './root.mjs';

await runCommand(() =>
  runInForeground(
    process.execPath,
    [
      '--require',
      inRoot('scripts', 'swc-reads-tsx.cjs'),
      inRoot('node_modules', 'dependency-cruiser', 'bin', 'dependency-cruise.mjs'),
      '--config',
      inRoot('.dependency-cruiser.cjs'),
      ...['apps', 'libs', 'e2e', 'bench', 'examples'],
    ],
    { cwd: ROOT },
  ),
);
