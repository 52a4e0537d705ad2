import { PlatformError } from '@crm/contracts';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';

/** Work that is under way after its answer; a person causes one. */
const MOST = 100;

/**
 * Neither the answer nor its time says what the work found. It is lost when the process dies: anyone who waits asks again.
 */
@Injectable()
export class AfterResponse implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AfterResponse.name);
  private readonly underWay = new Set<Promise<void>>();

  /** @throws PlatformError SERVICE_UNAVAILABLE when too much is under way */
  run(name: string, work: () => Promise<void>): void {
    if (this.underWay.size >= MOST) throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many requests in progress');
    const done = this.finish(name, work);
    this.underWay.add(done);
    void done.then(() => this.underWay.delete(done));
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.underWay);
  }

  private async finish(name: string, work: () => Promise<void>): Promise<void> {
    // Not a step of the work before the answer.
    await new Promise<void>((resolve) => setImmediate(resolve));
    try {
      await work();
    } catch (error) {
      this.logger.error({ msg: 'Work after an answer failed; the caller has to ask again', work: name, err: error });
    }
  }
}
