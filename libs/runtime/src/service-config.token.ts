/** The ServiceConfig of the process, for injection. */
export const SERVICE_CONFIG = Symbol('crm:service-config');
