/** `@crm/sdk/embed/react`: the CRM as a React component. */
export { CrmEmbed, type CrmEmbedProps } from './crm-embed.js';
