import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { type RpcRequest, type RpcResponse, rpc } from '@crm/contracts';
import { RpcHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { passkeyView } from '../sign-in/passkey.service.js';
import { OperatorPasskeyService } from './operator-passkey.service.js';

type Identity = typeof rpc.identity;

/** The passkeys of operators, passed on by marketplace-admin. */
@Controller()
export class OperatorPasskeyRpc {
  constructor(private readonly passkeys: OperatorPasskeyService) {}

  @RpcHandler(rpc.identity.getOperatorPasskeySignInOptions)
  async signInOptions(): Promise<RpcResponse<Identity['getOperatorPasskeySignInOptions']>> {
    return this.passkeys.signInOptions();
  }

  @RpcHandler(rpc.identity.signInOperatorByPasskey)
  async signIn(
    request: RpcRequest<Identity['signInOperatorByPasskey']>,
  ): Promise<RpcResponse<Identity['signInOperatorByPasskey']>> {
    const { challengeId, credential, ...origin } = request;
    const { answer, deviceToken } = await this.passkeys.signIn({ challengeId, credential }, origin);
    return { ...answer, deviceToken };
  }

  @RpcHandler(rpc.identity.getOperatorPasskeyStepUpOptions)
  @Access({ right: 'read' })
  async stepUpOptions(
    @Payload() _request: object,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['getOperatorPasskeyStepUpOptions']>> {
    return this.passkeys.stepUpOptions(principal);
  }

  @RpcHandler(rpc.identity.stepUpOperatorByPasskey)
  @Access({ right: 'read' })
  async stepUp(
    @Payload() answer: RpcRequest<Identity['stepUpOperatorByPasskey']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['stepUpOperatorByPasskey']>> {
    await this.passkeys.stepUp(principal, answer);
    return {};
  }

  @RpcHandler(rpc.identity.getOperatorPasskeyOptions)
  @Access({ right: 'read' })
  async options(
    @Payload() _request: object,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['getOperatorPasskeyOptions']>> {
    return this.passkeys.registrationOptions(principal);
  }

  @RpcHandler(rpc.identity.addOperatorPasskey)
  @Access({ right: 'read' })
  async add(
    @Payload() registration: RpcRequest<Identity['addOperatorPasskey']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['addOperatorPasskey']>> {
    return passkeyView(await this.passkeys.register(principal, registration));
  }

  @RpcHandler(rpc.identity.listOperatorPasskeys)
  @Access({ right: 'read' })
  async list(
    @Payload() _request: object,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['listOperatorPasskeys']>> {
    return { data: (await this.passkeys.list(principal)).map(passkeyView) };
  }

  @RpcHandler(rpc.identity.renameOperatorPasskey)
  @Access({ right: 'read' })
  async rename(
    @Payload() { id, name }: RpcRequest<Identity['renameOperatorPasskey']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['renameOperatorPasskey']>> {
    return passkeyView(await this.passkeys.rename(principal, id, name));
  }

  @RpcHandler(rpc.identity.removeOperatorPasskey)
  @Access({ right: 'read' })
  async remove(
    @Payload() { id }: RpcRequest<Identity['removeOperatorPasskey']>,
    @CurrentPrincipal() principal: Principal,
  ): Promise<RpcResponse<Identity['removeOperatorPasskey']>> {
    await this.passkeys.remove(principal, id);
    return {};
  }
}
