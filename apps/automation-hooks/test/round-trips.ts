import net from 'node:net';

/** Between a service and Postgres: counts how often the service writes after it has received an answer. */
export interface CountingProxy {
  /** The address of the same database through the proxy. */
  through(url: string): string;
  /** Round trips of all connections since they were last counted. */
  take(): number;
  close(): Promise<void>;
}

/** @param target URL of the database */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target);
  let trips = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect({ host: hostname, port: Number(port), noDelay: true });
    client.setNoDelay(true);
    let isAnswered = true;
    client.on('data', (chunk) => {
      if (isAnswered) trips += 1;
      isAnswered = false;
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      isAnswered = true;
      client.write(chunk);
    });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address() as net.AddressInfo;
  return {
    through(url) {
      const copy = new URL(url);
      copy.host = `127.0.0.1:${address.port}`;
      return copy.toString();
    },
    take() {
      const taken = trips;
      trips = 0;
      return taken;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
