/** What nodemailer puts on the error of a dialogue that failed. */
interface SmtpError {
  /** The server's reply, such as 550; absent when there was none. */
  responseCode?: number;
  /** The whole reply, such as `550 5.1.1 no such user`. */
  response?: string;
  /** The command that was refused. */
  command?: string;
}

/** The commands whose refusal can concern this one mail. A refusal of others, such as AUTH or MAIL FROM, concerns the sender. */
const ABOUT_THE_MAIL: readonly (string | undefined)[] = ['RCPT TO', 'DATA'];

/**
 * Enhanced codes (RFC 3463) for a recipient or content that will never be accepted: address, mailbox, message size,
 * content.
 */
const MAIL_REFUSED = /^5\.(?:[126]\.\d+|3\.4)$/;

/**
 * Enhanced codes for a refusal of the sender: address, authentication, relaying, policy. They also come in reply to the
 * recipient, because many servers postpone every refusal until then.
 */
const SENDER_REFUSED = /^5\.(?:1\.[78]|7\.\d+)$/;

/** Replies that concern a mailbox (RFC 5321, 4.2.3) or its domain (RFC 7504), whatever text follows. */
const MAILBOX_REPLIES: readonly number[] = [550, 551, 552, 553, 556];

/** How a server without enhanced codes says that the settings of the sender are wrong. */
const CONCERNS_SENDER = /\b(?:relay|authenticat)/i;

/**
 * Whether a mail server will never accept a mail: it refused this recipient or this content with a reply of 500 or more
 * (RFC 5321, 4.2.1: the client should not repeat the request). A refusal of the sender does not count, wherever in the
 * dialogue it comes: no mail is lost while the settings of a relay are wrong.
 * @param error what sending rejected with
 */
export function isPermanentRefusal(error: unknown): boolean {
  const { responseCode = 0, response = '', command } = (error ?? {}) as SmtpError;
  if (responseCode < 500 || responseCode > 599 || !ABOUT_THE_MAIL.includes(command)) return false;
  const enhanced = /^\d{3}[ -](5\.\d{1,3}\.\d{1,3})(?!\S)/.exec(response)?.[1];
  if (enhanced !== undefined) {
    if (SENDER_REFUSED.test(enhanced)) return false;
    if (MAIL_REFUSED.test(enhanced)) return true;
  } else if (CONCERNS_SENDER.test(response)) {
    return false;
  }
  if (MAILBOX_REPLIES.includes(responseCode)) return true;
  // "Transaction failed": of the content when that was sent, and of anything before.
  return responseCode === 554 && command === 'DATA' && enhanced === undefined;
}
