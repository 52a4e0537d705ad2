import { ServedPage } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js';

/** The account page, from the folder that the configuration names. */
@Injectable()
export class AccountPageService extends ServedPage {
  constructor(@Inject(GATEWAY_CONFIG) { accountPageDir }: GatewayConfig) {
    super(accountPageDir, 'ACCOUNT_PAGE_DIR');
  }
}
