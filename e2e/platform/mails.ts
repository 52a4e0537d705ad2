import { eventually } from '../../scripts/demo/client.mjs';
import { addresses } from './addresses.js';

export interface Mail {
  readonly to: readonly { readonly address: string }[];
  readonly subject: string;
  readonly text: string;
}

/** The mail of a subject that begins so, waited for. */
export const mailTo = (email: string, subject: string): Promise<Mail> =>
  eventually(
    async () => (await mailsTo(email)).find((mail) => mail.subject.startsWith(subject)),
    `the mail "${subject}"`,
  );

/** Every mail that has arrived for the address. */
export async function mailsTo(email: string): Promise<Mail[]> {
  const mails = (await (await fetch(`${addresses.mailUrl}/api/email`)).json()) as Mail[];
  return mails.filter(({ to }) => to.some(({ address }) => address === email));
}

/** The link of a mail, as a person would open it. */
export async function linkTo(email: string, subject: string): Promise<string> {
  const { text } = await mailTo(email, subject);
  const link = /^https?:\/\/\S+#token=\S+$/m.exec(text)?.[0];
  if (!link) throw new Error(`The mail "${subject}" has no link:\n${text}`);
  return link;
}
