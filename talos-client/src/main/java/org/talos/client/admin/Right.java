// SPDX-License-Identifier: Apache-2.0
package org.talos.client.admin;

/** What somebody may do with a topic; each includes to describe it. */
public enum Right {
    /** To put messages. */
    PUT,
    /** To get messages. */
    GET
}
