import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { launch } from 'puppeteer-core';
import { PlainError, runCommand } from '../../scripts/plain-error.mjs';
import { CACHE_DIR } from '../../scripts/root.mjs';
import { hasApt, LIBRARIES, unpackDebianPackages } from '../../scripts/servers/debian-packages.mjs';

/**
 * Starts a headless Firefox that finds hosts by name on loopback and accepts their certificates: Debian's firefox-esr, unpacked into
 * the cache folder. FIREFOX_PROGRAM chooses another.
 * @param {Readonly<Record<string, number>>} hosts ports by name
 * @returns {Promise<{ browser: import('puppeteer-core').Browser, close: () => Promise<void> }>}
 * @throws {PlainError} when there is none, or it does not start
 */
export async function startFirefox(hosts) {
  const { executablePath, libraries } = await firefoxProgram();
  const proxy = await startProxy(hosts);
  const browser = await launch({
    browser: 'firefox',
    executablePath,
    acceptInsecureCerts: true,
    env: { ...process.env, LC_ALL: 'en_US.UTF-8', ...(libraries && { LD_LIBRARY_PATH: libraries }) },
    // Addresses of this machine are never asked of a proxy.
    extraPrefsFirefox: {
      'network.proxy.type': 1,
      'network.proxy.ssl': '127.0.0.1',
      'network.proxy.ssl_port': proxy.port,
      'intl.accept_languages': 'en-GB',
    },
  }).catch(async (error) => {
    await proxy.stop();
    throw new PlainError(`Firefox does not start: ${error.message}`, { cause: error });
  });
  const close = async () => {
    await browser.close();
    await proxy.stop();
  };
  return { browser, close };
}

async function firefoxProgram() {
  if (process.env.FIREFOX_PROGRAM) return { executablePath: process.env.FIREFOX_PROGRAM };
  const unpacked = path.join(CACHE_DIR, 'firefox-esr', 'unpacked');
  const byHand = 'By hand: install Firefox, and set FIREFOX_PROGRAM to its program.';
  if (!existsSync(unpacked) && !(await hasApt())) {
    throw new PlainError(`There is no apt-get to fetch the Debian package firefox-esr with.\n${byHand}`);
  }
  await unpackDebianPackages(unpacked, ['firefox-esr'], { newest: true }).catch((error) => {
    throw new PlainError(`The Debian package firefox-esr could not be fetched: ${error.message}\n${byHand}`);
  });
  return {
    executablePath: path.join(unpacked, 'usr', 'lib', 'firefox-esr', 'firefox-esr'),
    libraries: path.join(unpacked, LIBRARIES),
  };
}

/**
 * Firefox has no rule that maps a name to a port: a proxy that connects the names to their ports, and nothing else.
 * @param {Readonly<Record<string, number>>} hosts
 */
async function startProxy(hosts) {
  /** @type {Set<import('node:stream').Duplex>} */
  const open = new Set();
  const server = createServer((_, response) => response.writeHead(403).end());
  server.on('connect', ({ url = '' }, socket, head) => {
    const port = hosts[url.replace(/:443$/, '')];
    if (port === undefined) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const target = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    for (const one of [socket, target]) {
      open.add(one);
      // One side that breaks off ends the other.
      one
        .on('error', () => one.destroy())
        .on('close', () => {
          open.delete(one);
          (one === socket ? target : socket).destroy();
        });
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  return {
    port: /** @type {net.AddressInfo} */ (server.address()).port,
    stop: async () => {
      for (const one of open) one.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// By itself it tries whether the browser starts.
if (process.argv[1] === import.meta.filename) {
  void runCommand(async () => {
    const { close } = await startFirefox({});
    await close();
  });
}
