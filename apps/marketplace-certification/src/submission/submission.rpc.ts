import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { type RpcContext, RpcHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { ReviewService } from './review.service.js';

/** The operators' calls, made through marketplace-admin. */
@Injectable()
export class SubmissionRpc {
  constructor(private readonly reviews: ReviewService) {}

  @RpcHandler(rpc.marketplace.listSubmissions)
  async list(
    request: RpcRequest<typeof rpc.marketplace.listSubmissions>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.marketplace.listSubmissions>> {
    return { data: await this.reviews.list(context.principal, request.status) };
  }

  @RpcHandler(rpc.marketplace.decideSubmission)
  decide(
    request: RpcRequest<typeof rpc.marketplace.decideSubmission>,
    context: RpcContext,
  ): Promise<RpcResponse<typeof rpc.marketplace.decideSubmission>> {
    return this.reviews.decide(context.principal, request.submissionId, request.decision, request.reason);
  }
}
