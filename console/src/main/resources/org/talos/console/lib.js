// SPDX-License-Identifier: Apache-2.0
/**
 * The view library, for modules. Preact's hooks import "preact" by its bare name, which only an inline import map could
 * resolve, and the content security policy allows none: so index.html loads its UMD builds, and this hands them on.
 */
const {h, render} = globalThis.preact;
const {useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState} = globalThis.preactHooks;

/** Makes elements of a template: texts in it are always texts, never HTML. */
const html = globalThis.htm.bind(h);

export {html, render, useCallback, useEffect, useErrorBoundary, useLayoutEffect, useMemo, useRef, useState};
