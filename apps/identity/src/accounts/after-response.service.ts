import { PlatformError } from '@crm/contracts';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';

/** Work that is under way after its answer; a person causes one. */
const MOST = 100;

/**
 * Work that is done after the answer, so that neither the answer nor the time it takes says what the work found. It is lost
 * when the process dies in these milliseconds; whoever waits for its effect asks again. Shutdown waits for it.
 */
@Injectable()
export class AfterResponse implements BeforeApplicationShutdown {
  private readonly logger = new Logger(AfterResponse.name);
  private readonly underWay = new Set<Promise<void>>();

  /**
   * @param name of the work, for the log
   * @throws PlatformError SERVICE_UNAVAILABLE when too much is under way
   */
  run(name: string, work: () => Promise<void>): void {
    if (this.underWay.size >= MOST) throw new PlatformError('SERVICE_UNAVAILABLE', 'Too many calls are under way');
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
