/** The GatewayConfig of the process, for injection. */
export const GATEWAY_CONFIG = Symbol('crm:gateway-config');
