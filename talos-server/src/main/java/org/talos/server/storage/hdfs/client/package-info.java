// SPDX-License-Identifier: Apache-2.0
/**
 * The calls of HDFS's client that the store uses, whose failures at the NameNode or a DataNode are thrown as what they
 * were there, and the threads that wait for them. Entry: {@link org.talos.server.storage.hdfs.client.HdfsCalls}.
 */
@NullMarked
package org.talos.server.storage.hdfs.client;

import org.jspecify.annotations.NullMarked;
