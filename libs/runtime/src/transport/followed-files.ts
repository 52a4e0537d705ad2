import { Logger } from '@nestjs/common';

/**
 * How often files are looked at. Kubernetes takes up to a minute to bring a new certificate to a container, and those who renew
 * one do so days before the old one ends.
 */
const LOOK_EVERY_MS = 30_000;

export interface FollowedFiles<T> {
  /** For the log: `the certificate of this service`. */
  readonly what: string;
  /** @throws when the files cannot be used as they are */
  read(): T;
  /** Takes what was read into use. */
  use(value: T): void;
  readonly everyMs?: number | undefined;
}

/**
 * Takes new contents of files into use while the process runs. What is there but cannot be used, such as a certificate whose key
 * is still being written, is reported once, and the process goes on with what it has.
 *
 * They are read again and again instead of being watched: in Kubernetes a link above them is exchanged, of which a watcher of the
 * files hears nothing.
 * @param current what is in use now
 * @returns ends it
 */
export function followFiles<T>(files: FollowedFiles<T>, current: T): () => void {
  const logger = new Logger('Transport');
  let used = JSON.stringify(current);
  let reported: string | undefined;
  const look = (): void => {
    try {
      const value = files.read();
      const text = JSON.stringify(value);
      if (text !== used) {
        files.use(value);
        used = text;
        logger.log({ msg: `${files.what} has changed, and the new one is in use` });
      }
      reported = undefined;
    } catch (error) {
      const { message } = error as Error;
      if (message !== reported) {
        logger.error({ msg: `${files.what} has changed and cannot be used; the old one stays in use`, err: error });
      }
      reported = message;
    }
  };
  const timer = setInterval(look, files.everyMs ?? LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
