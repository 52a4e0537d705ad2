import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { waitUntil } from '@crm/testing';

export interface ReceivedMail {
  to: string;
  /** Headers and body as they came. */
  text: string;
}

/** A mail server that speaks as much SMTP as a sender needs, and can refuse to take mail. */
export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** While true, mail is refused for now (451). */
  refusing = false;
  /** What is said of a recipient instead of taking them: a reply, or nothing until the promise resolves. */
  readonly recipients = new Map<string, string | Promise<void>>();
  /** What is said of the sender of every mail. */
  senderReply = '250 ok';
  /** Recipients that were named to this server, taken or not. */
  readonly named: string[] = [];
  private readonly sockets = new Set<Socket>();

  private readonly server = createServer((socket) => this.serve(socket));

  static async start(): Promise<MailServer> {
    const mailServer = new MailServer();
    await mailServer.listen();
    return mailServer;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `smtp://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The latest mail to the address, waited for. @param saying picks it out where an earlier act may still be sending another */
  async mailTo(address: string, since = 0, saying = ''): Promise<ReceivedMail> {
    const find = () => this.mails.slice(since).findLast(({ to, text }) => to === address && text.includes(saying));
    await waitUntil(() => find() !== undefined, { timeoutMs: 10_000, describe: `mail to ${address}: ${saying}` });
    return find()!;
  }

  /** What an act answers, and the text of the mail to the address that it sends. */
  async sentBy<Result>(
    address: string,
    act: () => Promise<Result>,
    saying?: string,
  ): Promise<{ answer: Result; text: string }> {
    const since = this.mails.length;
    const answer = await act();
    return { answer, text: (await this.mailTo(address, since, saying)).text };
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let pending = '';
    let to = '';
    let inData = false;
    socket.write('220 test\r\n');
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      pending += chunk;
      for (;;) {
        const end = inData ? pending.indexOf('\r\n.\r\n') : pending.indexOf('\r\n');
        if (end < 0) return;
        const part = pending.slice(0, end);
        pending = pending.slice(end + (inData ? 5 : 2));
        if (inData) {
          inData = false;
          this.mails.push({ to, text: decodeQuotedPrintable(part) });
          socket.write('250 taken\r\n');
          continue;
        }
        const recipient = /^RCPT TO:<(.*)>/i.exec(part);
        if (recipient) {
          to = recipient[1] ?? '';
          this.named.push(to);
        }
        const said = recipient && this.recipients.get(to);
        const reply = (text: string) => socket.write(`${text}\r\n`);
        inData = !said && /^DATA/i.test(part);
        if (said instanceof Promise) void said.then(() => reply('250 ok'));
        else if (said) reply(said);
        else if (/^MAIL FROM/i.test(part)) reply(this.senderReply);
        else if (recipient && this.refusing) reply('451 later');
        else if (inData) reply('354 go on');
        else reply(/^QUIT/i.test(part) ? '221 bye' : '250 ok');
      }
    });
  }
}

/** What the link in a mail carries. */
export const tokenIn = (text: string): string => /#token=([\w.-]+)/.exec(text)?.[1] ?? '';

export const codeIn = (text: string): string => /code is (\d{6})/.exec(text)?.[1] ?? '';

function decodeQuotedPrintable(text: string): string {
  if (!/quoted-printable/i.test(text)) return text;
  const character = (_escape: string, hex: string) => String.fromCharCode(Number.parseInt(hex, 16));
  const bytes = text.replace(/=\r\n/g, '').replace(/=([0-9A-F]{2})/g, character);
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
