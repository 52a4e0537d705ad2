export {
  announcedBytes,
  EdgeProxy,
  type ForwardClass,
  type ForwardedUrl,
  type ForwardRoute,
  isAmbiguous,
  pathOf,
} from './edge-proxy.js';
export { DOCUMENT_SOURCES, type DocumentSources, MergedDocument, type OpenApi } from './merged-document.js';
export { PROXY_CONFIG, type ProxyConfig, upstreamsConfig } from './proxy-config.js';
export { UpstreamClient } from './upstream-client.js';
export { UpstreamConnector } from './upstream-connector.js';
