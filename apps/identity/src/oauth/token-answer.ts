/** An answer of the token endpoint (RFC 6749, section 5.1); `installation_id` and `tenant_id` say where the token is valid. */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly scope: string;
  readonly refresh_token?: string;
  readonly installation_id: string;
  readonly tenant_id: string;
}
