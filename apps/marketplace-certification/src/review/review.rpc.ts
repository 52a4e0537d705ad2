import { Access, CurrentPrincipal } from '@crm/access';
import type { Principal } from '@crm/context';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { ReviewService } from './review.service.js';

/** The calls of operators, made through marketplace-admin. */
@Controller()
export class ReviewRpc {
  constructor(private readonly reviews: ReviewService) {}

  @RpcHandler(rpc.marketplace.listSubmissions)
  @Access({ right: 'read' })
  async list(
    @Payload() request: RpcRequest<typeof rpc.marketplace.listSubmissions>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<RpcResponse<typeof rpc.marketplace.listSubmissions>> {
    return { data: await this.reviews.list(operator, request.status) };
  }

  @RpcHandler(rpc.marketplace.decideSubmission)
  @Access({ right: 'write' })
  decide(
    @Payload() request: RpcRequest<typeof rpc.marketplace.decideSubmission>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<RpcResponse<typeof rpc.marketplace.decideSubmission>> {
    return this.reviews.decide(operator, request.submissionId, request.decision, request.reason);
  }
}
