// The mangled names of the functions of RocksDB that the preload library stands before.
//
// Looked up in 7.8.3 (Debian's library) and in the sources of 8.10 and 11.8.1. Where a parameter
// changed between versions there are several; a library has one of them.
#pragma once

#define ROCKTUNE_STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"

// DBImpl::Open(DBOptions, path, families, handles, db, flags): DB** with two flags (7.x, 8.x), then
// two more parameters, then a unique_ptr<DB>* (11.x).
#define OPEN_BEGINS                                            \
  "_ZN7rocksdb6DBImpl4OpenERKNS_9DBOptionsERK" ROCKTUNE_STRING \
  "RKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_18ColumnFamilyHandleESaISJ_EE"
#define OPEN_WITH_POINTER OPEN_BEGINS "PPNS_2DBEbb"
#define OPEN_WITH_RETRY OPEN_BEGINS "PPNS_2DBEbbbPb"
#define OPEN_WITH_OWNER OPEN_BEGINS "PSt10unique_ptrINS_2DBESt14default_deleteISO_EEbbbPb"

// DBImplReadOnly::OpenForReadOnlyWithoutCheck(DBOptions, path, families, handles, db, flag)
#define READ_ONLY_BEGINS                                                                        \
  "_ZN7rocksdb14DBImplReadOnly27OpenForReadOnlyWithoutCheckERKNS_9DBOptionsERK" ROCKTUNE_STRING \
  "RKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_18ColumnFamilyHandleESaISJ_EE"
#define READ_ONLY_WITH_POINTER READ_ONLY_BEGINS "PPNS_2DBEb"
#define READ_ONLY_WITH_OWNER READ_ONLY_BEGINS "PSt10unique_ptrINS_2DBESt14default_deleteISO_EEb"

// CompactedDBImpl::Open(Options, path, db)
#define COMPACTED_BEGINS "_ZN7rocksdb15CompactedDBImpl4OpenERKNS_7OptionsERK" ROCKTUNE_STRING
#define COMPACTED_WITH_POINTER COMPACTED_BEGINS "PPNS_2DBE"
#define COMPACTED_WITH_OWNER COMPACTED_BEGINS "PSt10unique_ptrINS_2DBESt14default_deleteISD_EE"

// DB::OpenAsSecondary and DB::OpenAsFollower(DBOptions, path, other path, families, handles, db)
#define DB_MEMBER_REST                  \
  "ERKNS_9DBOptionsERK" ROCKTUNE_STRING \
  "SB_RKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_18ColumnFamilyHandleESaISJ_EE"
#define SECONDARY_WITH_POINTER "_ZN7rocksdb2DB15OpenAsSecondary" DB_MEMBER_REST "PPS0_"
#define SECONDARY_WITH_OWNER \
  "_ZN7rocksdb2DB15OpenAsSecondary" DB_MEMBER_REST "PSt10unique_ptrIS0_St14default_deleteIS0_EE"
#define FOLLOWER_WITH_OWNER \
  "_ZN7rocksdb2DB14OpenAsFollower" DB_MEMBER_REST "PSt10unique_ptrIS0_St14default_deleteIS0_EE"

// DBImpl::CreateColumnFamily and CreateColumnFamilies. From 9.x on the interface's own are inline
// and call virtual ones that begin with ReadOptions and WriteOptions.
#define CREATE_ONE "_ZN7rocksdb6DBImpl18CreateColumnFamilyE"
#define CREATE_SEVERAL "_ZN7rocksdb6DBImpl20CreateColumnFamiliesE"
#define FAMILY_OPTIONS_NAME "RKNS_19ColumnFamilyOptionsERK" ROCKTUNE_STRING
#define CREATE_BY_NAME CREATE_ONE FAMILY_OPTIONS_NAME "PPNS_18ColumnFamilyHandleE"
#define CREATE_BY_NAMES                                     \
  CREATE_SEVERAL                                            \
  "RKNS_19ColumnFamilyOptionsERKSt6vectorI" ROCKTUNE_STRING \
  "SaISA_EEPS4_IPNS_18ColumnFamilyHandleESaISG_EE"
#define CREATE_BY_DESCRIPTORS \
  CREATE_SEVERAL              \
  "RKSt6vectorINS_22ColumnFamilyDescriptorESaIS2_EEPS1_IPNS_18ColumnFamilyHandleESaIS8_EE"
#define CREATE_BY_NAME_IO                                                  \
  CREATE_ONE "RKNS_11ReadOptionsERKNS_12WriteOptionsE" FAMILY_OPTIONS_NAME \
             "PPNS_18ColumnFamilyHandleE"
#define CREATE_BY_NAMES_IO                                                                         \
  CREATE_SEVERAL                                                                                   \
  "RKNS_11ReadOptionsERKNS_12WriteOptionsERKNS_19ColumnFamilyOptionsERKSt6vectorI" ROCKTUNE_STRING \
  "SaISG_EEPSA_IPNS_18ColumnFamilyHandleESaISM_EE"
#define CREATE_BY_DESCRIPTORS_IO                                                                 \
  CREATE_SEVERAL                                                                                 \
  "RKNS_11ReadOptionsERKNS_12WriteOptionsERKSt6vectorINS_22ColumnFamilyDescriptorESaIS8_EEPS7_I" \
  "PNS_18ColumnFamilyHandleESaISE_EE"

// The ends: Close, the deleting destructor (D0) and the complete one (D1) of each class.
#define DB_CLOSE "_ZN7rocksdb6DBImpl5CloseEv"
#define DB_DELETE "_ZN7rocksdb6DBImplD0Ev"
#define DB_DESTROY "_ZN7rocksdb6DBImplD1Ev"
#define READ_ONLY_DELETE "_ZN7rocksdb14DBImplReadOnlyD0Ev"
#define READ_ONLY_DESTROY "_ZN7rocksdb14DBImplReadOnlyD1Ev"
#define COMPACTED_DELETE "_ZN7rocksdb15CompactedDBImplD0Ev"
#define COMPACTED_DESTROY "_ZN7rocksdb15CompactedDBImplD1Ev"
#define SECONDARY_DELETE "_ZN7rocksdb15DBImplSecondaryD0Ev"
#define SECONDARY_DESTROY "_ZN7rocksdb15DBImplSecondaryD1Ev"
#define FOLLOWER_CLOSE "_ZN7rocksdb14DBImplFollower5CloseEv"
#define FOLLOWER_DELETE "_ZN7rocksdb14DBImplFollowerD0Ev"
#define FOLLOWER_DESTROY "_ZN7rocksdb14DBImplFollowerD1Ev"
#define HANDLE_DELETE "_ZN7rocksdb22ColumnFamilyHandleImplD0Ev"
#define HANDLE_DESTROY "_ZN7rocksdb22ColumnFamilyHandleImplD1Ev"

#define ROCKSDB_VERSION "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb"
