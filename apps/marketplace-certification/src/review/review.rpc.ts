import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { QueueService } from './queue.service.js';
import { ReviewService } from './review.service.js';

type Marketplace = typeof rpc.marketplace;

/** The calls of operators, made through marketplace-admin. */
@Controller()
export class ReviewRpc {
  constructor(
    private readonly queue: QueueService,
    private readonly reviews: ReviewService,
  ) {}

  @RpcHandler(rpc.marketplace.listSubmissions)
  @Access({ right: 'read' })
  list(
    @Payload() request: RpcRequest<Marketplace['listSubmissions']>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<RpcResponse<Marketplace['listSubmissions']>> {
    return this.queue.list(operator, request);
  }

  @RpcHandler(rpc.marketplace.getSubmission)
  @Access({ right: 'read' })
  get(
    @Payload() { submissionId }: RpcRequest<Marketplace['getSubmission']>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<RpcResponse<Marketplace['getSubmission']>> {
    return this.queue.get(operator, submissionId);
  }

  @RpcHandler(rpc.marketplace.readSubmissionDocument)
  @Access({ right: 'read' })
  readDocument(
    @Payload() { submissionId, document, offset }: RpcRequest<Marketplace['readSubmissionDocument']>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<RpcResponse<Marketplace['readSubmissionDocument']>> {
    return this.queue.readDocument(operator, submissionId, document, offset);
  }

  @RpcHandler(rpc.marketplace.decideSubmission)
  @Access({ right: 'write' })
  decide(
    @Payload() request: RpcRequest<Marketplace['decideSubmission']>,
    @CurrentPrincipal() operator: Principal,
  ): Promise<RpcResponse<Marketplace['decideSubmission']>> {
    return this.reviews.decide(operator, request.submissionId, request.decision, request.reason);
  }
}
