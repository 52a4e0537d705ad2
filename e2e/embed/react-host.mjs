// Writes the script of a page in React to the standard output: node e2e/embed/react-host.mjs
// A program, because the bundler does not work within Jest, whose objects are not those of the process.
import path from 'node:path';
import { build } from 'vite';
import { inRoot } from '../../scripts/root.mjs';

/** React is installed here; the file exists in this program alone. */
const SDK = inRoot('libs', 'sdk');
const ENTRY = path.join(SDK, 'react-host.js');

/** A page in strict mode whose test sets the component's properties, and sees what it reports. */
const SOURCE = `
  import { createElement, StrictMode } from 'react';
  import { createRoot } from 'react-dom/client';
  import { CrmEmbed } from ${JSON.stringify(path.join(SDK, 'dist', 'embed', 'react', 'index.js'))};

  const root = createRoot(document.getElementById('root'));
  window.events = [];
  window.aborted = 0;
  window.show = (props) => root.render(createElement(StrictMode, null, createElement(CrmEmbed, {
    // New functions with every rendering, as applications make them.
    fetchToken: async ({ reason, signal }) => {
      signal.addEventListener('abort', () => { window.aborted += 1; });
      const answer = await fetch('/token?reason=' + reason, { signal });
      return answer.text();
    },
    onEvent: ({ type, error }) => window.events.push({ type, code: error?.code, seen: props.locale }),
    ...props,
  })));
  window.hide = () => root.render(null);
`;

/**
 * Builds the page with the SDK as it is published, and with React for development, whose strict mode runs effects twice.
 * @returns {Promise<string>} the script
 */
async function buildReactHost() {
  const result = await build({
    configFile: false,
    root: SDK,
    logLevel: 'warn',
    cacheDir: inRoot('.cache', 'vite', 'react-host'),
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"development"' },
    plugins: [
      {
        name: 'react-host',
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) => (id === ENTRY ? SOURCE : undefined),
      },
    ],
    build: { write: false, minify: false, modulePreload: false, rollupOptions: { input: ENTRY } },
  });
  if (!('output' in result)) throw new Error('Vite was asked for one output, and gave another number of them');
  return result.output[0].code;
}

process.stdout.write(await buildReactHost());
