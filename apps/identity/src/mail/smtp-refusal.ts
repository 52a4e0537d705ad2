/** What nodemailer puts on the error of a dialogue that failed. */
interface SmtpError {
  /** The server's reply, such as 550; absent when there was none. */
  responseCode?: number;
  /** The command that was refused. */
  command?: string;
}

/** The commands whose refusal speaks of this one mail. That of others, such as AUTH or MAIL FROM, speaks of the sender. */
const ABOUT_THE_MAIL: readonly (string | undefined)[] = ['RCPT TO', 'DATA'];

/**
 * Whether a mail server will never take a mail: it refused the recipient or the content with a reply of 500 or more
 * (RFC 5321, 4.2.1: the client should not repeat the request).
 * @param error what sending rejected with
 */
export function isRefusedForGood(error: unknown): boolean {
  const { responseCode = 0, command } = (error ?? {}) as SmtpError;
  return responseCode >= 500 && responseCode < 600 && ABOUT_THE_MAIL.includes(command);
}
