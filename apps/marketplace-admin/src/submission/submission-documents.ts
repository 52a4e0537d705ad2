import type { Principal } from '@crm/access';
import { rpc, type SubmissionDocument } from '@crm/contracts';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';

/** Reads documents of submissions that may be longer than a message, piece by piece. */
@Injectable()
export class SubmissionDocuments {
  constructor(private readonly rpc: Rpc) {}

  /** @throws PlatformError NOT_FOUND */
  async read(
    principal: Principal,
    submissionId: string,
    document: SubmissionDocument,
  ): Promise<Record<string, unknown>> {
    const pieces: string[] = [];
    for (let offset: number | null = 0; offset !== null; ) {
      const request: { submissionId: string; document: SubmissionDocument; offset: number } = {
        submissionId,
        document,
        offset,
      };
      const { text, nextOffset } = await this.rpc.call(rpc.marketplace.readSubmissionDocument, request, principal);
      pieces.push(text);
      offset = nextOffset;
    }
    return JSON.parse(pieces.join(''));
  }
}
