/** What libraries say when there is no network. A refused connection is not among them: that is a service that does not run. */
const NO_NETWORK =
  /\b(?:ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|ENETDOWN)\b|getaddrinfo (?:failed|E\w+)|Name or service not known|[Tt]emporary failure in name resolution|nodename nor servname provided|No address associated with hostname|[Nn]etwork is unreachable|No route to host|dial (?:tcp|udp): lookup|no such host|[Cc]ould not resolve host|[Ff]ailed to resolve|NameResolutionError|UnknownHostException|php_network_getaddresses/

/** Whether the message of a failed test says there is no network. */
export const saysNoNetwork = (message: string): boolean => NO_NETWORK.test(message)
