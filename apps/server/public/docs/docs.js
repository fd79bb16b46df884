const api = new URLSearchParams(location.search).get('api') === 'push' ? 'push' : 'channels';
document.querySelector(`nav a[href$="api=${api}"]`).setAttribute('aria-current', 'page');

globalThis.SwaggerUIBundle({
  dom_id: '#api',
  url: `/docs/${api}.json`,
  deepLinking: true,
  defaultModelRendering: 'example',
  // Requests to Channels are signed, which a page without the secret cannot do: `npx rookery trigger` does.
  supportedSubmitMethods: api === 'push' ? ['get', 'put', 'post', 'delete'] : [],
  // Swagger UI would ask a service on the internet.
  validatorUrl: null,
});
