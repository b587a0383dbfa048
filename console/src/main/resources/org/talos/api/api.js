// SPDX-License-Identifier: Apache-2.0
"use strict";

/** The page of the REST interface. Its calls go by the session of the console, if somebody is signed in there. */
(async () => {
  const SAFE = ["GET", "HEAD"];
  const who = document.getElementById("who");

  async function session() {
    const answer = await fetch("/v1/session");
    return answer.status === 200 ? answer.json() : null;
  }

  const known = await session();
  if (known) {
    who.textContent = `Calls are made as ${known.user}.`;
  } else {
    const link = document.createElement("a");
    link.href = "/console/";
    link.textContent = "Sign in";
    who.append(link, " to try calls here, or give key and secret by 'Authorize'.");
  }

  async function withToken(request) {
    if (!SAFE.includes((request.method || "GET").toUpperCase())) {
      const now = await session();
      if (now && now.csrf) {
        request.headers["Talos-Csrf"] = now.csrf;
      }
    }
    return request;
  }

  window.ui = SwaggerUIBundle({
    url: "/v1/openapi.json",
    dom_id: "#calls",
    deepLinking: true,
    displayRequestDuration: true,
    docExpansion: "list",
    filter: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    defaultModelsExpandDepth: -1,
    requestInterceptor: withToken,
  });
})();
