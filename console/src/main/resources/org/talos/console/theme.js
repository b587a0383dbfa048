// SPDX-License-Identifier: Apache-2.0
// Sets light or dark before anything is drawn, so that the page does not flash. A classic script: a module would be
// too late.
(function () {
    "use strict";
    let chosen = null;
    try {
        chosen = localStorage.getItem("talos.theme");
    } catch (refused) {
        chosen = null; // a browser that keeps nothing: the system's choice holds
    }
    if (chosen === "light" || chosen === "dark") {
        document.documentElement.dataset.theme = chosen;
    }
})();
